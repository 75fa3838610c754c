# A laptop with a VPN leaves its WiFi: a modem takes over, and the VPN stays as it is.
. /test/lib.sh
. /test/far.sh
. /test/wifi.sh
. /test/modem.sh

# What a network daemon does once an interface is connected, and once it is lost.
wifi_routes() {
  ip route "$1" default via 10.9.0.1 dev wlan0 metric 600
}
modem_routes() {
  ip route "$1" default via 10.8.0.1 dev wwan0 metric 700
}

step 'WiFi and VPN'
access_point_on
far_end wlan1
ip -n far address add 10.20.0.1/32 dev lo
station_on
soon is wlan0 operstate up
ip address add 10.9.0.2/24 dev wlan0
wifi_routes add
endpoint=10.20.0.1
tunnel_up
watch internet
expect internet 'reachable via wifi on Home vpn'
check_traffic 10.6.0.1

step 'modem connected too'
modem_plug_in
ip link set wwan0 up
ip link set usb0 netns far
ip -n far address add 10.8.0.1/24 dev usb0
ip -n far link set usb0 up
soon is wwan0 operstate up
ip address add 10.8.0.2/24 dev wwan0
modem_routes add
check_traffic 10.6.0.1

# Until somebody takes the dead route away, the kernel sends into it.
step 'out of reach of the WiFi'
access_point_off
expect internet 'unreachable no-carrier'
wifi_routes delete
expect internet 'reachable via wwan vpn'
check_traffic 10.6.0.1

step 'WiFi back'
access_point_on
soon is wlan0 operstate up
wifi_routes add
expect internet 'reachable via wifi on Home vpn'
check_traffic 10.6.0.1

step 'out of reach again'
access_point_off
expect internet 'unreachable no-carrier'
wifi_routes delete
expect internet 'reachable via wwan vpn'
check_traffic 10.6.0.1

step 'modem pulled out too'
modem_pull_out
expect internet 'unreachable interface-missing'
finish
