# Completion of reach(1) for fish(1). What may come next, reach itself tells.

function __reach_paths
    set -l option (string match -r '^--[^=]*=' -- $argv[2])
    set -l path (string replace -r '^--[^=]*=' '' -- $argv[2])
    string replace -r -- '^' "$option" ($argv[1] $path)
end

function __reach
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    for line in ($before[1] --complete -- (string replace -r -- '^~/' "$HOME/" $before[2..]) (string unescape -- $word; or echo) 2>/dev/null)
        switch $line
            case \tfiles
                __reach_paths __fish_complete_path $word
            case \tfolders
                __reach_paths __fish_complete_directories $word
            case '*'
                # What stands there already and goes on, such as network:, leaves nothing to add.
                set -l offered (string split -m1 \t -- $line)
                string match -qr '[=:]$' -- $word; and test "$offered[1]" = "$word"; or echo $line
        end
    end
end

complete -c reach -f -k -a '(__reach)'
