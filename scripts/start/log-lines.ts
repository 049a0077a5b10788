import { prettyFactory } from 'pino-pretty';

const NAME_WIDTH = 8;

const prettify = prettyFactory({
  colorize: process.stdout.isTTY,
  ignore: 'pid,hostname,service',
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
});

/** Prints a process's lines for people, under its name: JSON logs in words, the rest as it comes. */
export function linePrinter(name: string): (line: string) => void {
  return (line) => {
    if (line.trim() === '') return;
    const text = line.startsWith('{') ? prettify(line).trimEnd() : line;
    console.log(`${name.padEnd(NAME_WIDTH)}| ${text}`);
  };
}
