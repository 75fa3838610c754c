# Completion of reach(1) for bash(1). What may come next, reach itself tells.

_reach() {
  local line=${COMP_LINE:0:COMP_POINT} words=() before='' piece='' index reply
  # Bash cuts words at = and : too; what stands together is one word of reach's.
  for ((index = 0; index <= COMP_CWORD; index++)); do
    if ((index == 0)) || [[ $line == [[:blank:]]* ]]; then
      line=${line#"${line%%[![:blank:]]*}"}
      words+=('')
      before=''
    else
      before+=$piece
    fi
    piece=${COMP_WORDS[index]}
    ((index < COMP_CWORD)) || piece=$line
    words[-1]+=$piece
    line=${line:${#piece}}
  done
  # Readline completes what follows these alone.
  [[ $piece == *[!=:]* ]] || before+=$piece

  # As a program gets them: with the home folder, and without quotes.
  before=${before//[\"\'\\]/}
  words=("${words[@]/#\~\//"$HOME"/}")
  words=("${words[@]//[\"\'\\]/}")
  COMPREPLY=()
  while IFS= read -r reply; do
    case $reply in
      $'\tfiles') compopt -o default ;;
      $'\tfolders') compopt -o dirnames ;;
      *)
        reply=${reply%%$'\t'*}
        reply=${reply#"$before"}
        # What stands there already and goes on, such as network:, leaves nothing to add.
        [[ $reply ]] || continue
        [[ $piece == [\"\']* ]] || printf -v reply %q "$reply"
        COMPREPLY+=("$reply")
        ;;
    esac
  done < <("${words[0]}" --complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} != 1 || $COMPREPLY != *[=:] ]] || compopt -o nospace
}

complete -F _reach reach
