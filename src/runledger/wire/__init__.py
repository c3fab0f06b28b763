"""What is spoken to the programs we run: JSON messages, one a line."""
