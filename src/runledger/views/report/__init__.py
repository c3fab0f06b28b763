"""What report.html is made of: its overview, its rows, its traces, and the page around them."""
