# Each target works alone on Debian 12 with nothing but the Swift toolchain.
PACKAGES = liblua5.4-dev libc-ares-dev libsqlite3-dev libsystemd-dev libcurl4-openssl-dev pkg-config gcc iproute2 \
  nftables procps python3 dbus-daemon ca-certificates openssl lua-check
SWIFT_FORMAT = swift format
SOURCES = Sources Tests/*Tests Tests/Support Tests/Benchmarks Package.swift examples \
  Tests/Fuzz/Package.swift Tests/Fuzz/Fuzzing Tests/Fuzz/Targets
# Swift and the C++ library it needs go into the program, and relocations are packed: a machine
# needs less to run it, and it needs 1.7 MB less of the machine.
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -L$(CURDIR)/.build/static
# For vm-test alone: the emulator, what makes its file system, and static C programs for it.
VM_PACKAGES = qemu-system-x86 kmod cpio xz-utils zstd libc6-dev
# Kernels and programs of Debian, which are downloaded once: 250 MB.
VM_CACHE ?= .build/vm

# Where `make install` puts things, below DESTDIR; /usr is for packages of Debian.
PREFIX ?= /usr/local
BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share
UNITS = $(DESTDIR)$(PREFIX)/lib/systemd
# Where zsh looks for what was installed below that prefix.
ZSH = $(SHARE)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
REACH = .build/release/reach
STRIP ?= strip
# Files speak of /usr/bin and /usr/share.
PREFIXED = sed -E -e 's,/usr/(bin|share)/,$(PREFIX)/\1/,g'
PAGES = reach.1 reach-hooks.5
TEXTS = Sources/reach/Installation
# Installs files by their paths below a folder. It is find's to end as this does, which \; is not.
INTO = sh -c 'for file; do install -D -m 644 "$$file" "$$0/$$file" || exit 1; done'
GUIDES = Sources/Hooks/Hooks.docc/*.md Sources/Reachability/Reachability.docc/*.md
# Of the tests alone: what reads manual pages, the shells that complete, systemd-analyze, and prove.
TEST_PACKAGES = man-db mandoc zsh fish systemd perl

.PHONY: run build test unit specs conformance vm-test sanitize bench fuzz docs definitions \
  install uninstall lint format clean packages

run: build
	.build/release/reach run hooks/log-transitions.lua

build: packages .build/static/libstdc++.a
	swift build $(RELEASE) --product reach

# In a folder without the shared library beside it, which a linker would take first.
.build/static/libstdc++.a: | packages
	mkdir -p .build/static
	ln -sf "$$(gcc -print-file-name=libstdc++.a)" $@

test: unit specs conformance

unit sanitize: PACKAGES += $(TEST_PACKAGES)
unit: packages
	swift build --build-tests
	Tests/run.sh --skip-build

# What the shipped hooks and the examples do, in their own words.
specs: packages
	swift build --product reach
	.build/debug/reach test hooks examples

conformance: build
	python3 Tests/Conformance/run.py --reach .build/release/reach

# On real kernels of Debian, with real WiFi, modems, PPP and tunnels in an emulated machine; no KVM.
# KERNELS=6.12 and TESTS="wifi ppp" choose; see Tests/VM.
vm-test: PACKAGES += $(VM_PACKAGES)
vm-test: APT_OPTIONS = --no-install-recommends
vm-test: build $(VM_CACHE)/vmodem $(VM_CACHE)/facts
	Tests/VM/test.sh "$(or $(KERNELS),6.1 6.12)" .build/release/reach $(VM_CACHE) $(TESTS)

$(VM_CACHE)/%: Tests/VM/%.c | packages
	mkdir -p $(VM_CACHE)
	cc -static -O2 -Wall -Wextra -Werror -o $@ $<

# Under AddressSanitizer with its leak check, then under ThreadSanitizer.
sanitize: packages
	ASAN_OPTIONS=detect_leaks=1 Tests/run.sh --sanitize=address --build-path .build/address
	Tests/run.sh --sanitize=thread --build-path .build/thread

# Compares with a C program in the same run; see Tests/Benchmarks.
bench: build
	swift build $(RELEASE) --product dispatch-benchmark
	swift build $(RELEASE) --product scale-benchmark
	python3 Tests/Benchmarks/bench.py --reach .build/release/reach \
	  --dispatch .build/release/dispatch-benchmark --scale .build/release/scale-benchmark --idle 30

# SECONDS=600 runs each fuzzer that long.
fuzz: packages
	Tests/Fuzz/run.sh $(or $(SECONDS),30)

# Leaves .build/docs/*.doccarchive, for a web server or `docc preview`. Pages link to each other by
# their files, as a repository shows them; to DocC these links are made what it checks.
docs: packages
	swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members
	for module in Reachability ReachabilityNotifications Hooks; do \
	  graphs=.build/docs/$$module; rm -rf $$graphs; mkdir -p $$graphs; \
	  cp "$$(dirname "$$(swift build --show-bin-path)")"/symbolgraph/$$module[.@]*json $$graphs && \
	  cp -r Sources/$$module/$$module.docc $$graphs && \
	  sed -i -E 's/\]\(([^)/:]+)\.md\)/](doc:\1)/g' $$graphs/$$module.docc/*.md && \
	  docc convert $$graphs/$$module.docc --additional-symbol-graph-dir $$graphs \
	    --fallback-display-name $$module --fallback-bundle-identifier $$module \
	    --warnings-as-errors --output-path .build/docs/$$module.doccarchive || exit 1; \
	done

# Writes anew what editors know of hooks, from what the library declares.
definitions: packages
	swift build --product reach
	folder=$$(mktemp -d) && trap 'rm -r "$$folder"' EXIT && cd "$$folder" && \
	  $(CURDIR)/.build/debug/reach new fresh && \
	  mkdir -p $(CURDIR)/hooks/types && cp types/reach.lua $(CURDIR)/hooks/types && \
	  cp .luacheckrc $(CURDIR) && \
	  sed 's|"types"|"hooks/types"|' .luarc.json >$(CURDIR)/.luarc.json

# Takes the program that `make build` made, and builds it only where there is none.
install: $(REACH)
	install -d $(BIN) $(SHARE)/man/man1 $(SHARE)/man/man5 $(UNITS)/system $(UNITS)/user
	install -s --strip-program=$(STRIP) $(REACH) $(BIN)/reach
	umask 022; for page in $(PAGES); do \
	  file=$(SHARE)/man/man$${page##*.}/$$page; \
	  $(REACH) --manual $$page > $$file && $(PREFIXED) -i $$file && gzip -9nf $$file || exit 1; \
	done
	umask 022; for kind in system user; do \
	  $(PREFIXED) $(TEXTS)/$$kind.service > $(UNITS)/$$kind/reach.service || exit 1; \
	done
	install -D -m 644 $(TEXTS)/reach.bash $(SHARE)/bash-completion/completions/reach
	install -D -m 644 $(TEXTS)/reach.zsh $(ZSH)/_reach
	install -D -m 644 $(TEXTS)/reach.fish $(SHARE)/fish/vendor_completions.d/reach.fish
	find hooks -type f -exec $(INTO) $(SHARE)/reach {} +
	find examples -type f -exec $(INTO) $(SHARE)/doc/reach {} +
	install -d $(SHARE)/doc/reach/guide
	install -m 644 $(GUIDES) $(SHARE)/doc/reach/guide
	install -m 644 CHANGELOG.md CONTRIBUTING.md LICENSE $(SHARE)/doc/reach
	umask 022; sed -E -e 's,Sources/[A-Za-z/]+\.docc/,guide/,' -e 's,\(hooks/,(../../reach/hooks/,' \
	  README.md > $(SHARE)/doc/reach/README.md
	sed -i 's,(../hooks/,(../../../reach/hooks/,' $(SHARE)/doc/reach/examples/README.md

uninstall:
	rm -rf $(SHARE)/reach $(SHARE)/doc/reach
	for page in $(PAGES); do rm -f $(SHARE)/man/man$${page##*.}/$$page.gz; done
	rm -f $(BIN)/reach $(ZSH)/_reach \
	  $(SHARE)/bash-completion/completions/reach $(SHARE)/fish/vendor_completions.d/reach.fish \
	  $(UNITS)/system/reach.service $(UNITS)/user/reach.service

.build/release/reach:
	$(MAKE) build

lint: packages
	$(SWIFT_FORMAT) lint --strict --recursive $(SOURCES)
	luacheck --quiet hooks examples

format:
	$(SWIFT_FORMAT) --in-place --recursive $(SOURCES)

clean:
	swift package clean

# Installs what is missing, or says how where that needs root.
packages:
	@missing=$$(for p in $(PACKAGES); do \
	  [ "$$(dpkg-query -Wf '$${db:Status-Status}' $$p 2>/dev/null)" = installed ] || \
	    printf '%s ' $$p; \
	done); \
	[ -z "$$missing" ] || { \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -q && apt-get install -qy $(APT_OPTIONS) $$missing; \
	  else echo "run this first: sudo apt-get install $(APT_OPTIONS) $$missing" >&2; exit 1; fi; }
