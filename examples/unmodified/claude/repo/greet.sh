# Greet who is named, or else the world.
echo "Hello, $1!"
