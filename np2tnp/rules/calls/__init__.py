"""TNP0xx and TNP6xx: calls, operators, parameters, random draws."""
