"""What a module does with NumPy: names, abstract values, aliases and events. Knows no rule and no tnp."""
