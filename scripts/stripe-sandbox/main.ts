import * as v from 'valibot';
import { startSandbox } from './sandbox.ts';

const keyWith = (prefix: string) =>
  v.optional(v.pipe(v.string(), v.startsWith(prefix, `must start with ${prefix}`)), '');

const environment = v.object({
  SANDBOX_PORT: v.optional(
    v.pipe(v.string(), v.digits('must be a port'), v.transform(Number), v.maxValue(65_535, 'must be a port')),
    '',
  ),
  SANDBOX_CALLS_PER_SECOND: v.optional(
    v.pipe(v.string(), v.digits('must be a number'), v.transform(Number), v.minValue(1, 'must be a number')),
  ),
  SANDBOX_WEBHOOK_URL: v.optional(v.pipe(v.string(), v.url('must be a URL'))),
  STRIPE_SECRET_KEY: keyWith('sk_test_'),
  STRIPE_PUBLISHABLE_KEY: keyWith('pk_test_'),
  STRIPE_WEBHOOK_SECRET: keyWith('whsec_'),
});

const parsed = v.safeParse(environment, process.env);
if (!parsed.success) {
  const problems = parsed.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`);
  console.error(`The payment sandbox cannot start: ${problems.join(', ')}`);
  process.exit(1);
}

const settings = parsed.output;
const sandbox = await startSandbox({
  port: settings.SANDBOX_PORT,
  ...(settings.SANDBOX_WEBHOOK_URL === undefined ? {} : { webhookUrl: settings.SANDBOX_WEBHOOK_URL }),
  ...(settings.SANDBOX_CALLS_PER_SECOND && {
    throttle: { callsPerSecond: settings.SANDBOX_CALLS_PER_SECOND },
  }),
  webhookSecret: settings.STRIPE_WEBHOOK_SECRET,
  secretKey: settings.STRIPE_SECRET_KEY,
  publishableKey: settings.STRIPE_PUBLISHABLE_KEY,
  log: console.log,
});
console.log(`Payment sandbox at ${sandbox.url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void sandbox.close());
}
