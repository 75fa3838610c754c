# A USB modem that speaks ECM (dummy_hcd, cdc_ether with an identity that it knows as mobile).
. /test/lib.sh
. /test/far.sh

step 'modem plugged in'
modprobe -a cdc_ether dummy_hcd libcomposite usb_f_ecm
mount -t configfs none /sys/kernel/config
gadget=/sys/kernel/config/usb_gadget/modem
mkdir $gadget $gadget/configs/c.1 $gadget/functions/ecm.usb0
echo 0x1bc7 >$gadget/idVendor   # Telit
echo 0x0036 >$gadget/idProduct
ln -s $gadget/functions/ecm.usb0 $gadget/configs/c.1
echo dummy_udc.0 >$gadget/UDC
soon is wwan0 type 1
watch internet interface:wwan0
expect internet 'unreachable no-route'
expect interface:wwan0 'unreachable link-down'

step 'connected'
far_end usb0
ip link set wwan0 up
soon is wwan0 operstate up
near_end wwan0
expect internet 'reachable via wwan'
expect interface:wwan0 'reachable via wwan'
check_traffic 10.9.0.1

step 'tunnel'
tunnel_up
expect internet 'reachable via wwan vpn'
check_traffic 10.6.0.1

step 'connection lost below the tunnel'
ip -n far link set usb0 down
expect internet 'unreachable no-carrier'
expect interface:wwan0 'unreachable no-carrier'

step 'connection back below the tunnel'
ip -n far link set usb0 up
expect internet 'reachable via wwan vpn'
expect interface:wwan0 'reachable via wwan'
check_traffic 10.6.0.1

step 'tunnel gone'
tunnel_down
expect internet 'reachable via wwan'
check_traffic 10.9.0.1

step 'modem pulled out'
echo >$gadget/UDC
expect internet 'unreachable interface-missing'
expect interface:wwan0 'unreachable interface-missing'
finish
