internal import Posix

StandardStream.reserveNumbers()
Program.exit(CommandLineInterface.run(Array(CommandLine.arguments.dropFirst())).rawValue)
