# A USB modem that speaks MBIM (cdc_mbim): no frames.
. /test/lib.sh
. /test/far.sh
. /test/vmodem.sh

modem_plug_in mbim cdc_mbim
modem_connect
modem_tunnel
modem_pull_out
finish
