#compdef reach
# Completion of reach(1) for zsh(1). What may come next, reach itself tells.

local line word found=1
local -a whole begun
for line in "${(@f)$(${~words[1]} --complete -- "${(@Q)words[2,CURRENT-1]/#\~\//$HOME/}" "${(Q)PREFIX}" 2>/dev/null)}"; do
  case $line in
    ('') ;;
    ($'\tfiles') compset -P '--*=' ; _files && return ;;
    ($'\tfolders') compset -P '--*=' ; _files -/ && return ;;
    (*)
      word=${line%%$'\t'*}
      line=${word//:/\\:}:${line#*$'\t'}
      # Something follows these at once.
      if [[ $word == *[=:] ]]; then begun+=("$line"); else whole+=("$line"); fi
      ;;
  esac
done
(( $#whole )) && _describe -V -t reach 'reach' whole && found=0
(( $#begun )) && _describe -V -t reach 'reach' begun -S '' && found=0
return found
