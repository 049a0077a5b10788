import { once } from 'node:events';
import { createServer } from 'node:http';
import { PIXEL_ID } from '#client/e2e/steps/consent.ts';
import { test as base } from './test.ts';

interface TestFixtures {
  /** The events of a name that the pixel was told. At the start of a test it knows nothing. */
  told(name: string): PixelEvent[];
}

interface WorkerFixtures {
  pixel: PixelStandIn;
}

/** `test` with a product that has a pixel. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  pixel: [
    async ({ workerScope }, use) => {
      const pixel = await startPixelStandIn();
      workerScope.after(pixel.close);
      await use(pixel);
    },
    { scope: 'worker' },
  ],
  productEnv: [
    ({ pixel }, use) => use({ META_PIXEL_ID: PIXEL_ID, META_PIXEL_SCRIPT_URL: pixel.scriptUrl }),
    { scope: 'worker' },
  ],
  told: [
    async ({ pixel }, use) => {
      pixel.forget();
      await use((name) => pixel.events().filter((event) => event.name === name));
    },
    { auto: true },
  ],
});

/** What the stand-in was told. */
interface PixelEvent {
  name: string;
  /** The page's address as it was told. */
  page: string | null;
  /** The address that led to it, as it was told. */
  referrer: string | null;
  data: string | null;
  eventId: string | null;
}

/** A social network's end of the pixel, on this machine. */
interface PixelStandIn {
  scriptUrl: string;
  /** Everything that was asked of it, in order. */
  requests: readonly string[];
  events(): PixelEvent[];
  /** What its script was told of consent, `grant` or `revoke`, in order. */
  consents(): string[];
  /** Waits until it has been told an event, or that of consent, so many times. */
  untilTold(name: string, times?: number): Promise<void>;
  forget(): void;
  close(): void;
}

/** Starts a server with a script that takes over the page's queue as the real one does, and reports by picture. */
async function startPixelStandIn(): Promise<PixelStandIn> {
  const requests: string[] = [];
  let check = (): void => {};
  const server = createServer((req, res) => {
    requests.push(req.url ?? '');
    const isScript = req.url === '/events.js';
    res.setHeader('Content-Type', isScript ? 'text/javascript' : 'image/gif');
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.end(isScript ? `(${pixelScript})();` : ONE_PIXEL);
    check();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const reports = () => requests.filter((url) => url.startsWith('/tr?')).map((url) => new URL(url, origin));
  const events = () => reports().flatMap(({ searchParams }) => eventOf(searchParams) ?? []);
  const consents = () => reports().flatMap(({ searchParams }) => searchParams.get('consent') ?? []);
  return {
    scriptUrl: `${origin}/events.js`,
    requests,
    events,
    consents,
    untilTold: (name, times = 1) =>
      new Promise((resolve) => {
        check = () => {
          const told = [...events().map((event) => event.name), ...consents()];
          if (told.filter((each) => each === name).length >= times) resolve();
        };
        check();
      }),
    forget: () => {
      requests.length = 0;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const ONE_PIXEL = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');

function eventOf(report: URLSearchParams): PixelEvent | undefined {
  const name = report.get('ev');
  if (name === null) return undefined;
  return {
    name,
    page: report.get('dl'),
    referrer: report.get('rl'),
    data: report.get('cd'),
    eventId: report.get('eid'),
  };
}

/** Runs in the page. Events wait while consent is revoked, and a cookie is set, as the real script does. */
const pixelScript = `function () {
  const pixel = window.fbq;
  const origin = new URL(document.currentScript.src).origin;
  let held = [], revoked = false, asked = 0, id;
  // Each under an address of its own: what the browser has asked for once it does not ask for again.
  const ask = (query) => {
    asked += 1;
    new Image().src = origin + '/tr?' + query + '&n=' + asked;
  };
  const send = (name, data, options) => {
    const query = new URLSearchParams({ id, ev: name, dl: location.href, rl: document.referrer });
    if (data) query.set('cd', JSON.stringify(data));
    if (options && options.eventID) query.set('eid', options.eventID);
    ask(query);
  };
  const commands = {
    consent(word) {
      revoked = word === 'revoke';
      ask(new URLSearchParams({ consent: word }));
      if (!revoked) for (const event of held.splice(0)) send(...event);
    },
    set() {},
    init(given) {
      id = given;
      document.cookie = '_fbp=fb.1.1.1; path=/';
    },
    track(...event) {
      if (revoked) held.push(event);
      else send(...event);
    },
    trackCustom(...event) { commands.track(...event); },
  };
  pixel.callMethod = (command, ...args) => commands[command](...args);
  for (const call of pixel.queue.splice(0)) pixel.callMethod(...call);
}`;
