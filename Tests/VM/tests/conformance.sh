# The table of kernel behaviour, on this kernel; everything waits three times as long.
. /test/lib.sh

modprobe -a veth bridge macvlan tun
python3 /test/Conformance/run.py --reach /test/reach --slow 3
