import * as v from 'valibot';
import { startSandbox } from './sandbox.ts';

const keyWith = (prefix: string) => v.pipe(v.string(), v.startsWith(prefix, `must start with ${prefix}`));
const number = v.pipe(v.string(), v.digits('must be a number'), v.transform(Number), v.minValue(1));

const environment = v.object({
  SANDBOX_PORT: number,
  SANDBOX_CALLS_PER_SECOND: v.optional(number),
  SANDBOX_WEBHOOK_URL: v.exactOptional(v.pipe(v.string(), v.url('must be a URL'))),
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

const {
  SANDBOX_CALLS_PER_SECOND: callsPerSecond,
  SANDBOX_WEBHOOK_URL: webhookUrl,
  ...settings
} = parsed.output;
const sandbox = await startSandbox({
  port: settings.SANDBOX_PORT,
  ...(webhookUrl && { webhookUrl }),
  ...(callsPerSecond && { throttle: { callsPerSecond } }),
  webhookSecret: settings.STRIPE_WEBHOOK_SECRET,
  secretKey: settings.STRIPE_SECRET_KEY,
  publishableKey: settings.STRIPE_PUBLISHABLE_KEY,
  log: console.log,
});
console.log(`Payment sandbox at ${sandbox.url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
