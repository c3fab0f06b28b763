"""A model on loopback that says what a script tells it to say, to agents that cannot tell.

It keeps no state: a line `SCRIPT: name` in a prompt, or a phrase of it, chooses the script, and the
tool results that the conversation already holds after that say how far it is.
"""
