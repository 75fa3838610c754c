# A USB modem that speaks QMI (qmi_wwan): frames first, then bare packets.
. /test/lib.sh
. /test/far.sh
. /test/vmodem.sh

# qmi_wwan takes a frame for a bare packet where the address looks like the start of one.
modem_plug_in qmi qmi_wwan 02:00:00:00:00:07
modem_connect
modem_tunnel

# Such an interface has no hardware type of its own any more, as a tunnel has none.
step 'packets without a frame'
ip link set wwan0 down
expect internet 'unreachable link-down'
expect interface:wwan0 'unreachable link-down'
echo Y >/sys/class/net/wwan0/qmi/raw_ip
check 'its type is none' is wwan0 type 65534
ip link set wwan0 up
ip route add default dev wwan0
expect internet 'reachable via wwan'
expect interface:wwan0 'reachable via wwan'

modem_pull_out
finish
