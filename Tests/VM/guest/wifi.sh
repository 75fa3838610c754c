# Two simulated radios: wlan0 is the station, wlan1 is the access point at the other end.

modprobe mac80211_hwsim radios=2
iw phy phy1 set netns name far

network=Home
cat >/run/hostapd.conf <<'END'
interface=wlan1
driver=nl80211
ssid=Home
hw_mode=g
channel=1
wpa=2
wpa_key_mgmt=WPA-PSK
wpa_passphrase=correct horse
rsn_pairwise=CCMP
END
cat >/run/supplicant.conf <<'END'
ctrl_interface=/run/supplicant
network={
  ssid="Home"
  psk="correct horse"
  scan_freq=2412
}
network={
  ssid="Office"
  psk="correct horse"
  scan_freq=2412
}
END

access_point_on() {
  sed -i "s/^ssid=.*/ssid=$network/" /run/hostapd.conf
  ip netns exec far hostapd -B -P /run/hostapd.pid /run/hostapd.conf >/run/hostapd.log
}

access_point_off() {
  kill "$(cat /run/hostapd.pid)"
  soon test ! -e /run/hostapd.pid
}

station_on() {
  wpa_supplicant -B -i wlan0 -c /run/supplicant.conf >/run/supplicant.log
}

# The radio's switch: block 1 or 0.
block() {
  echo "$1" >"$(echo /sys/class/ieee80211/phy0/rfkill*)/soft"
}
