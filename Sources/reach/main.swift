internal import Posix

Program.exit(CommandLineInterface.run(Array(CommandLine.arguments.dropFirst())).rawValue)
