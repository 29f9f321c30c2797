"""What stands for a number or an array while a graph is made."""
