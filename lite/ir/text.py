"""The text form of a graph: `print_graph` writes it, and `parse_graph` reads it back to an equal graph.

An example::

    graph main(%x: float32[?,3,8,8], %n: int64[1]) {
      %w = const float32[1,3,1,1] [0.5, 1.0, -2.0]
      Output=%conv = conv2d(Input=%x, Filter=%w) {paddings=[0, 0], strides=[1, 1]} : float32[?,1,8,8]
      %a, %b = split(X=%conv) {axis=1, num=2} : float32[?,1,8,8], ?[*]
      %y, XShape=%s = reshape2(X=%a) {shape=[-1, 8]}
      %c#1, %y#1 = while(Condition=%c, X=[%y, %n]) {carried=2} : bool[1], float32[?,8]
        graph block1(%c: bool[1], %y: float32[?,8], %n: int64[1]) {
          …
          return %c, y=%z
        }
      print(In=%y#1) effect
      return out=%y#1, %b
    }

The grammar, in which ``[ ]`` is optional and ``{ }`` repeated.  White space and newlines only separate
tokens, and a comment runs from ``//`` to the end of its line::

    graph    = "graph" name "(" [value [":" type] {"," ...}] ")" "{" {constant | node} results "}"
    results  = "return" [[name "="] value {"," ...}]
    constant = value "=" "const" dtype shape data [":" type]
    data     = "[" elements in row-major order "]"  |  "@" key  |  "random" "(" seed ")"
    node     = [output {"," ...} "="] op "(" [name "=" values {"," ...}] ")"
               ["{" [name "=" attribute {"," ...}] "}"] ["@" place] ["effect"] [":" type {"," ...}] {graph}
    output   = value  |  name "=" values
    values   = value  |  "[" value {"," ...} "]"
    value    = "%" (letters, digits, "_" and "."  |  quoted name) ["#" version]
    type     = [kind] (dtype | "?") shape ["lod" level] ["quant" quant] ["@" place]
    shape    = "[" "*" | [dim {"," ...}] "]"        (a dim is a number, a symbol, or "?")
    quant    = "(" scales "," zero points "," axis "," storage dtype ["," rounding] ")"
    place    = target "/" (dtype | "any") "/" layout

- Outputs without a slot name belong to ``Out``.  A slot is a list; a single value has no brackets.
- Types are in the order of the outputs.  Without them, the types of the outputs are unknown, and the type
  of a constant is that of its array.  ``kind`` is Paddle's, in small letters (``tensor_array``).
- Attributes are ``true``, ``false``, integers, floats (with a point or exponent, or ``inf``, ``nan``),
  ``complex(1.0, 2.0)``, JSON strings, and lists of these.
- A name that is not an identifier, or that is a word of this grammar, is written as a JSON string.
- A constant of more than 16 elements is printed as the key of its array (`constant_key`), which
  `parse_graph` looks up in its `constants`.  ``random(7)`` is for tests: standard normal floats, whole
  numbers from -100 to 99 (unsigned: 0 to 99), or bools, from a generator with that seed.
- Ids ascend in the text from top to bottom.
"""

from lite.ir.text_parse import parse_graph
from lite.ir.text_print import constant_key, constants_by_key, print_graph

__all__ = ["constant_key", "constants_by_key", "parse_graph", "print_graph"]
