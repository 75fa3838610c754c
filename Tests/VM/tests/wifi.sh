# WiFi with WPA2 (mac80211_hwsim, hostapd, wpa_supplicant), lost and regained.
. /test/lib.sh
. /test/far.sh
. /test/wifi.sh

step 'no network'
watch internet local_wifi interface:wlan0 network:Home network:Office
expect internet 'unreachable no-route'
expect local_wifi 'unreachable link-down'
expect interface:wlan0 'unreachable link-down'
expect network:Home 'unreachable link-down'
expect network:Office 'unreachable link-down'

step 'associated'
access_point_on
far_end wlan1
station_on
soon is wlan0 operstate up
near_end wlan0
expect internet 'reachable via wifi on Home'
expect local_wifi 'reachable via wifi on Home'
expect interface:wlan0 'reachable via wifi on Home'
expect network:Home 'reachable via wifi on Home'
check_traffic 10.9.0.1

step 'access point lost'
access_point_off
expect internet 'unreachable no-carrier'
expect local_wifi 'unreachable no-carrier'
expect interface:wlan0 'unreachable no-carrier'
expect network:Home 'unreachable no-carrier'

step 'access point back'
access_point_on
expect internet 'reachable via wifi on Home'
expect local_wifi 'reachable via wifi on Home'
expect interface:wlan0 'reachable via wifi on Home'
expect network:Home 'reachable via wifi on Home'
check_traffic 10.9.0.1

lay_tunnel 'reachable via wifi on Home'

step 'access point lost below the tunnel'
access_point_off
expect internet 'unreachable no-carrier'
expect local_wifi 'unreachable no-carrier'
expect interface:wlan0 'unreachable no-carrier'
expect network:Home 'unreachable no-carrier'

step 'access point back below the tunnel'
access_point_on
expect internet 'reachable via wifi on Home vpn'
expect local_wifi 'reachable via wifi on Home'
expect interface:wlan0 'reachable via wifi on Home'
expect network:Home 'reachable via wifi on Home'
check_traffic 10.6.0.1

take_tunnel 'reachable via wifi on Home'

# A blocked radio is switched off as a link, which takes its routes along.
step 'radio blocked'
block 1
expect internet 'unreachable link-down'
expect local_wifi 'unreachable link-down'
expect interface:wlan0 'unreachable link-down'
expect network:Home 'unreachable link-down'

step 'radio free again'
block 0
expect local_wifi 'reachable via wifi on Home'
expect interface:wlan0 'reachable via wifi on Home'
expect network:Home 'reachable via wifi on Home'
ip route add default via 10.9.0.1 dev wlan0
expect internet 'reachable via wifi on Home'
check_traffic 10.9.0.1

step 'on another network'
access_point_off
expect internet 'unreachable no-carrier'
expect local_wifi 'unreachable no-carrier'
expect interface:wlan0 'unreachable no-carrier'
expect network:Home 'unreachable no-carrier'
network=Office
access_point_on
expect internet 'reachable via wifi on Office'
expect local_wifi 'reachable via wifi on Office'
expect interface:wlan0 'reachable via wifi on Office'
expect network:Office 'reachable via wifi on Office'
check_traffic 10.9.0.1
finish
