"""Emitters of source code for ops, one folder a language; imported as `lite.emitters`."""

if __name__ == "emitters":
    raise ImportError("the folder emitters/ is imported as 'lite.emitters', not as 'emitters'")
