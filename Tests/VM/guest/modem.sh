# A USB modem that speaks ECM: its other side is this machine's own virtual device, usb0. The modem
# tells that it is connected once usb0 is up, to a driver that listens: set wwan0 up first.

modprobe -a cdc_ether dummy_hcd libcomposite usb_f_ecm
mount -t configfs none /sys/kernel/config
gadget=/sys/kernel/config/usb_gadget/modem
mkdir $gadget $gadget/configs/c.1 $gadget/functions/ecm.usb0
echo 0x1bc7 >$gadget/idVendor # Telit, which cdc_ether knows as mobile
echo 0x0036 >$gadget/idProduct
ln -s $gadget/functions/ecm.usb0 $gadget/configs/c.1

modem_plug_in() {
  echo dummy_udc.0 >$gadget/UDC
  soon is wwan0 type 1
}

modem_pull_out() {
  echo >$gadget/UDC
}
