"""What a cassette holds: its lines read and written, said in short, and without secrets."""
