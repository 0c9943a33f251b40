"use strict";
// The whole drawing in a strip beside it: boxes in their colours, matches, and a frame around what is on the screen.

class Minimap {
  constructor(element, onJump) {
    Object.assign(this, {element, layout: null, boxes: [], marks: [], picture: document.createElement("canvas")});
    const jump = event => {
      if (!this.layout || (event.type === "pointermove" && !event.buttons)) return;
      onJump(event.offsetX / this.scaleX, event.offsetY / this.scaleY);
    };
    element.addEventListener("pointerdown", jump);
    element.addEventListener("pointermove", jump);
  }

  // `boxes` are [x, y, width, height, colour] from back to front.
  show(layout, boxes) {
    Object.assign(this, {layout, boxes});
    this._resize();
  }

  _resize() {
    const {clientWidth: width, clientHeight: height} = this.element, ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.element, this.picture])
      Object.assign(canvas, {width: width * ratio, height: height * ratio});
    this.ratio = ratio;
    this.size = [width, height];
    this.scaleX = width / Math.max(this.layout.width, 1);
    this.scaleY = Math.min(height / Math.max(this.layout.height, 1), 1);
    const pen = this.picture.getContext("2d");
    pen.scale(ratio, ratio);
    for (const [x, y, w, h, colour] of this.boxes) {
      pen.fillStyle = colour;
      pen.fillRect(x * this.scaleX, y * this.scaleY, Math.max(w * this.scaleX, 1.5), Math.max(h * this.scaleY, 1));
    }
  }

  paint(x, y, width, height) {
    if (!this.layout || !this.element.clientHeight) return;
    const {clientWidth, clientHeight} = this.element;
    if (clientWidth !== this.size[0] || clientHeight !== this.size[1]) this._resize();
    const pen = this.element.getContext("2d"), style = getComputedStyle(this.element);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.element.width, this.element.height);
    pen.drawImage(this.picture, 0, 0);
    pen.scale(this.ratio, this.ratio);
    for (const [top, name] of this.marks) {
      pen.fillStyle = style.getPropertyValue(name === "selected" ? "--accent" : "--match");
      pen.fillRect(0, Math.min(top * this.scaleY, clientHeight - 3), clientWidth, 3);
    }
    pen.fillStyle = style.getPropertyValue("--accent");
    pen.globalAlpha = 0.16;
    const frame = [
      Math.max(0, x * this.scaleX), Math.max(0, y * this.scaleY), width * this.scaleX, Math.max(height * this.scaleY, 6),
    ];
    pen.fillRect(...frame);
    pen.globalAlpha = 0.9;
    pen.strokeStyle = pen.fillStyle;
    pen.strokeRect(frame[0] + 0.5, frame[1] + 0.5, Math.min(frame[2], clientWidth - frame[0]) - 1, frame[3] - 1);
    pen.globalAlpha = 1;
  }
}
