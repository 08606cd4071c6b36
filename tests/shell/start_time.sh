# start_time: the median time of `SELECT 1` over 50 processes. Tells it; a busy machine is no failure.
. "$(dirname "$0")/check.sh"

i=0
while [ $i -lt 50 ]; do
    before=$(date +%s%N)
    "$LEAT" -c 'SELECT 1' >/dev/null
    after=$(date +%s%N)
    echo $(((after - before) / 1000))
    i=$((i + 1))
done | sort -n | sed -n 25p | sed 's/$/ us, the median of 50/'
finish
