import * as v from 'valibot';
import { startSandbox } from './sandbox.ts';

const keyWith = (prefix: string) => v.pipe(v.string(), v.startsWith(prefix, `must start with ${prefix}`));

const { SANDBOX_PORT, SANDBOX_WEBHOOK_URL, ...keys } = v.parse(
  v.object({
    SANDBOX_PORT: v.pipe(v.string(), v.digits('SANDBOX_PORT must be a number'), v.transform(Number)),
    SANDBOX_WEBHOOK_URL: v.exactOptional(v.pipe(v.string(), v.url('SANDBOX_WEBHOOK_URL must be a URL'))),
    STRIPE_SECRET_KEY: keyWith('sk_test_'),
    STRIPE_PUBLISHABLE_KEY: keyWith('pk_test_'),
    STRIPE_WEBHOOK_SECRET: keyWith('whsec_'),
  }),
  process.env,
);
const sandbox = await startSandbox({
  port: SANDBOX_PORT,
  webhookSecret: keys.STRIPE_WEBHOOK_SECRET,
  secretKey: keys.STRIPE_SECRET_KEY,
  publishableKey: keys.STRIPE_PUBLISHABLE_KEY,
  log: console.log,
});
if (SANDBOX_WEBHOOK_URL) sandbox.setWebhookUrl(SANDBOX_WEBHOOK_URL);
console.log(`Payment sandbox at ${sandbox.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
