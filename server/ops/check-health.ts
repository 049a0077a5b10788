import * as v from 'valibot';
import { readVariable } from '#server/config/read-environment.ts';
import { schemas } from '#server/config/variables.ts';

/** The containers' health check: asks this container's ops listener, app or worker; exits 0 when it answers well. */
const port = v.parse(schemas.app.entries.OPS_PORT, readVariable(process.env, 'OPS_PORT'));
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(3_000) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
