"""Code that tests share: the reference interpreter, random programs, fake devices, small models."""
