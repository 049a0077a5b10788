import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as v from 'valibot';
import { startChild, until } from '#scripts/product/child.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { ensureProgram, programs } from '#scripts/product/system-package.ts';
import { cleanUp, type TestScope, testFolder } from '#server/testing/clean-up.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { linkIn, outcomeOf } from './run/outcome.ts';
import { startProduct } from './run/product.ts';
import { PROOF } from './steps/own-page.ts';
import { billingAddress, testCards, visitor } from './steps/registration.ts';

/** Firefox's windows are wider: 500 px at least. */
const PHONE = { width: 390, height: 844 };
/** The key of a reference to an element. https://www.w3.org/TR/webdriver2/#elements */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const elementSchema = v.object({ [ELEMENT]: v.string() });

/** The first visible element that a selector selects and that has a text. Options have no boxes of their own. */
const FIND = `const [selector, words] = arguments;
return [...document.querySelectorAll(selector)].find((element) =>
  element.textContent.trim().startsWith(words) && (element.localName === 'option' || element.checkVisibility()));`;
const FOCUSED = `let element = document.activeElement;
while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
return element;`;
const TEXT = { script: 'return document.body.innerText', args: [] };

/** Somebody who reads a page and presses what it shows. */
function visit({ send }: Engine) {
  const element = async (script: string, ...args: string[]) =>
    v.parse(elementSchema, await send('execute', { script, args }))[ELEMENT];
  const press = (selector: string, words: string) =>
    until(`${selector} "${words}" can be pressed`, async () => {
      await send('click', { id: await element(FIND, selector, words) });
      return true;
    });
  return {
    press,
    /** Types into the field with a label. */
    async type(label: string, text: string) {
      await press('label', label);
      await send('type', { id: await element(FOCUSED), text });
    },
    reads: (words: string) =>
      until(`"${words}" is shown`, async () => String(await send('execute', TEXT)).includes(words)),
  };
}

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

interface Engine {
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
async function startFirefox(t: TestScope): Promise<Engine> {
  const profile = await testFolder(t, 'firefox');
  const port = await findFreePort();
  await writeFile(join(profile, 'user.js'), preferences(port));
  const findings: string[] = [];
  const firefox = startChild({
    name: 'Firefox',
    command: ensureProgram(programs.firefox),
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
async function startWebKit(t: TestScope): Promise<Engine> {
  let display = '';
  const xvfb = startChild({
    name: 'X server',
    command: ensureProgram(programs.xvfb),
    // It begins anew whenever its last client leaves, and a browser that starts in that moment crashes.
    args: ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp', '-noreset'],
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
    command: ensureProgram(programs.webKit),
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

describe('in browsers with other engines', { skip: process.platform !== 'linux' }, () => {
  let product: Awaited<ReturnType<typeof startProduct>>;
  before(async () => {
    product = await startProduct('start');
  });
  after(() => product.end());

  for (const [name, start] of Object.entries({ Firefox: startFirefox, WebKitGTK: startWebKit }))
    test(`R2.2 R5.1 ${name}: from the landing page to the completion view and her page, where she gives another card and pays`, async (t) => {
      const engine = await start(t);
      try {
        await register(engine, `${name.toLowerCase()}@example.org`);
      } catch (error) {
        const png = await engine.send('screenshot').catch(() => '');
        await writeFile(`.data/${name}.png`, String(png), 'base64');
        throw error;
      }
      assert.deepEqual(engine.findings, []);
    });

  async function register(engine: Engine, email: string): Promise<void> {
    const { press, type, reads } = visit(engine);
    const { contact, payment, completion, charged } = registrationCopy;
    await engine.send('resize', PHONE);
    await engine.send('navigate', { url: product.siteUrl });
    await press('a', 'Reserve your spot now');
    await press('#register-stepper button', 'Reserve your spot now');
    await type(contact.firstName, visitor.firstName);
    await type(contact.lastName, visitor.lastName);
    await type(contact.email, email);
    await type(contact.phoneNumber, visitor.phoneNumber);
    await press('button', 'Next');
    await type(payment.cardNumber, testCards.succeeds);
    await type(payment.cardExpiry, `12${(new Date().getUTCFullYear() + 10) % 100}`);
    await type(payment.cardCvc, '123');
    await press('option', 'United States');
    await type(payment.addressLine1, billingAddress.line1);
    await type(payment.addressCity, billingAddress.city);
    await type(payment.addressState, billingAddress.state);
    await type(payment.addressPostalCode, billingAddress.postal_code);
    await press('label', payment.termsAgreement);
    await press('button', 'Finish');
    await reads(completion);
    await reads(charged('$721'));
    await press('button', 'Open your page');
    await reads(`Your place, ${visitor.firstName}`);
    const site = outcomeOf(product);
    await site.untilSent('welcome', email);
    await engine.send('navigate', { url: linkIn(await site.mailsTo(email), '/place/') });
    await reads(`Your place, ${visitor.firstName}`);
    await press('a', 'Change the card');
    await type(PROOF, billingAddress.postal_code);
    await press('button', 'Enter the card at Stripe');
    await reads('Save your card');
    await type('Card number', testCards.authenticates);
    await type('Expiration', `12${(new Date().getUTCFullYear() + 10) % 100}`);
    await type('CVC', '123');
    await type('Cardholder name', visitor.firstName);
    await press('button', 'Save card');
    await press('button', 'Complete authentication');
    await reads('Your new card is stored');
    await press('a', 'Pay $726.25 now');
    await type(PROOF, billingAddress.postal_code);
    await press('button', 'Pay $726.25');
    await press('button', 'Complete authentication');
    await reads('Your payment has arrived');
    assert.deepEqual(await site.chargesOf(email), [72_100, 72_625]);
  }
});
