import { ListenError, listen } from '#server/http/listen.ts';
import { createPreviewApp } from './preview-app.tsx';

const PORT = 'MAILS_PREVIEW_PORT';
const DEFAULT_PORT = 1081;

function readPort(value: string | undefined): number {
  if (!value) return DEFAULT_PORT;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  return fail(`${PORT} must be a port number.`);
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

const preview = await listen(createPreviewApp(), {
  host: '127.0.0.1',
  port: readPort(process.env[PORT]),
}).catch((error: unknown) => {
  if (!(error instanceof ListenError)) throw error;
  return fail(`${error.message} Choose another port with ${PORT}=….`);
});
console.log(`The mails: ${preview.url}  (Ctrl-C ends)`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void preview.close());
