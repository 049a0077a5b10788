import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import * as v from 'valibot';
import { startChild, until } from '#scripts/product/child.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import {
  ensureProgram,
  firefoxProgram,
  webKitProgram,
  xvfbProgram,
} from '#scripts/product/system-package.ts';
import { cleanUp, type TestScope, testFolder } from '#server/testing/clean-up.ts';

const HOST = '127.0.0.1';

/** Commands of WebDriver: their names in Marionette, and their paths in HTTP. https://www.w3.org/TR/webdriver2/#endpoints */
const COMMANDS = {
  navigate: ['Navigate', 'url'],
  execute: ['ExecuteScript', 'execute/sync'],
  click: ['ElementClick', 'element/{id}/click'],
  type: ['ElementSendKeys', 'element/{id}/value'],
  resize: ['SetWindowRect', 'window/rect'],
  screenshot: ['TakeScreenshot', 'screenshot'],
} as const;

export interface Engine {
  send(command: keyof typeof COMMANDS, parameters?: Record<string, unknown>): Promise<unknown>;
  readonly findings: readonly string[];
}

/** What pages log goes to stdout; what they throw goes to stderr anyway. */
const preferences = (marionettePort: number): string => `
user_pref("marionette.port", ${marionettePort});
user_pref("devtools.console.stdout.content", true);
user_pref("ui.prefersReducedMotion", 1);
`;
/** RSLoader is Firefox itself, which asks for its experiments. */
const FINDING = /^console\.(?:error|warn): (?!RSLoader)|^JavaScript (?:error|warning): http/;

/** Nothing outside this machine can be reached. */
const NO_PROXY = { proxyType: 'manual', httpProxy: `${HOST}:9`, sslProxy: `${HOST}:9`, noProxy: [HOST] };

const valueSchema = v.object({ value: v.unknown() });
const errorSchema = v.nullable(v.object({ message: v.string() }));
/** Type, id (always 1, as one command follows the other), error and result. */
const responseSchema = v.tuple([v.number(), v.number(), errorSchema, v.unknown()]);

/**
 * Firefox, by Marionette: geckodriver, which Debian lacks, would translate WebDriver to it.
 * https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
 */
export async function startFirefox(t: TestScope): Promise<Engine> {
  const profile = await testFolder(t, 'firefox');
  const port = await findFreePort();
  await writeFile(join(profile, 'user.js'), preferences(port));
  const findings: string[] = [];
  const firefox = startChild({
    name: 'Firefox',
    command: ensureProgram(firefoxProgram),
    args: ['--headless', '--marionette', '--no-remote', '--profile', profile],
    env: process.env,
    onLine: (line) => FINDING.test(line) && findings.push(line),
  });
  cleanUp(t, () => firefox.stop());
  const listens = async (): Promise<Socket> => {
    const socket = connect(port, HOST);
    await once(socket, 'connect');
    return socket;
  };
  const socket = await until('Firefox listens', listens, firefox);
  const messages = readMessages(socket);
  await messages.next();
  const send = async (command: string, parameters: object): Promise<unknown> => {
    const message = JSON.stringify([0, 1, `WebDriver:${command}`, parameters]);
    socket.write(`${Buffer.byteLength(message)}:${message}`);
    const reply = await messages.next();
    const [, , error, result] = v.parse(responseSchema, reply.value);
    if (error) throw new Error(`Firefox: ${command}: ${error.message}`);
    return v.is(valueSchema, result) ? result.value : result;
  };
  await send('NewSession', { proxy: NO_PROXY });
  return { findings, send: (command, parameters = {}) => send(COMMANDS[command][0], parameters) };
}

/** Each is JSON after its length in bytes and a colon. */
async function* readMessages(socket: Socket): AsyncGenerator<unknown, void> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const start = bytes.indexOf(':') + 1;
      const end = start + Number(bytes.toString('utf8', 0, start - 1));
      if (start === 0 || bytes.length < end) break;
      yield JSON.parse(bytes.toString('utf8', start, end));
      bytes = bytes.subarray(end);
    }
  }
}

/** WebKitGTK's MiniBrowser, on a display of its own. Its driver does not report the console. */
export async function startWebKit(t: TestScope): Promise<Engine> {
  let display = '';
  const xvfb = startChild({
    name: 'X server',
    command: ensureProgram(xvfbProgram),
    args: ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    env: process.env,
    onLine: (line) => {
      if (/^\d+$/.test(line)) display = `:${line}`;
    },
  });
  cleanUp(t, () => xvfb.stop());
  await until('there is a display', async () => display, xvfb);
  // A click misses what a page still scrolls to.
  const settings = await testFolder(t, 'webkit');
  await mkdir(join(settings, 'gtk-3.0'));
  await writeFile(join(settings, 'gtk-3.0', 'settings.ini'), '[Settings]\ngtk-enable-animations=0\n');
  const port = await findFreePort();
  const driver = startChild({
    name: 'driver of WebKitGTK',
    command: ensureProgram(webKitProgram),
    args: [`--port=${port}`],
    env: { ...process.env, DISPLAY: display, XDG_CONFIG_HOME: settings },
  });
  cleanUp(t, () => driver.stop());
  const ask = async (method: string, path: string, parameters?: object): Promise<unknown> => {
    const body = parameters && JSON.stringify(parameters);
    const response = await fetch(`http://${HOST}:${port}/${path}`, { method, ...(body && { body }) });
    const { value } = v.parse(valueSchema, await response.json());
    if (!response.ok) throw new Error(`WebKitGTK: ${path}: ${JSON.stringify(value)}`);
    return value;
  };
  await until('the driver answers', () => ask('GET', 'status'), driver);
  const alwaysMatch = {
    browserName: 'MiniBrowser',
    proxy: NO_PROXY,
    'webkitgtk:browserOptions': { args: ['--automation', '--full-screen'] },
  };
  const session = await ask('POST', 'session', { capabilities: { alwaysMatch } });
  const { sessionId } = v.parse(v.object({ sessionId: v.string() }), session);
  cleanUp(t, async () => ask('DELETE', `session/${sessionId}`));
  return {
    findings: [],
    send: (command, parameters = {}) => {
      const path = `session/${sessionId}/${COMMANDS[command][1].replace('{id}', String(parameters.id))}`;
      return command === 'screenshot' ? ask('GET', path) : ask('POST', path, parameters);
    },
  };
}
