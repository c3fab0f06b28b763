# Try greet.sh: with a name, and without.
failed=0

expect() {
    if [ "$2" = "$1" ]; then
        echo "ok: $1"
    else
        echo "FAILED: expected $1, got $2"
        failed=1
    fi
}

expect "Hello, Ada!" "$(sh greet.sh Ada)"
expect "Hello, world!" "$(sh greet.sh)"
exit $failed
