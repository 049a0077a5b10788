import * as v from 'valibot';
import { post, RequestFailedError } from '#client/registration/payment/http-client.ts';
import { placeScriptWords as words } from '#shared/content/place-script-words.ts';
import { PLACE_PATH } from '#shared/place.ts';

/** She is told why it was not done, in these words. */
export class ActFailed extends Error {
  /** Whether what she has at stake is as before; otherwise the words say it themselves. */
  readonly isSafe: boolean;
  /** What is wrong with what she proved herself by. */
  readonly proof: string | undefined;

  constructor(message: string, { isSafe, proof }: { isSafe: boolean; proof?: string | undefined }) {
    super(message);
    this.name = 'ActFailed';
    this.isSafe = isSafe;
    this.proof = proof;
  }
}

const TIMEOUT_MS = 30_000;

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY = 429;

const refusalSchema = v.object({
  error: v.object({
    code: v.string(),
    message: v.string(),
    /** The only field that the site itself looks at. */
    fields: v.optional(v.object({ proof: v.optional(v.string()) })),
  }),
});

/**
 * Sends what she presses. An answer that what she was shown does not hold any more leads to the page as it is now, and
 * is awaited for ever.
 * @throws {ActFailed} when there is no good answer
 */
export async function postAct<Schema extends v.GenericSchema>(
  path: string,
  json: object,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  let answer: unknown;
  try {
    answer = await post(path, { json, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof RequestFailedError)) throw new ActFailed(words.offline, { isSafe: true });
    const refusal = v.safeParse(refusalSchema, error.body);
    if (!refusal.success) throw new ActFailed(wordsFor(error.status), { isSafe: true });
    const { code, message, fields } = refusal.output.error;
    if (code === 'changed') await showAsItIs();
    throw new ActFailed(message, { isSafe: true, proof: fields?.proof });
  }
  const parsed = v.safeParse(schema, answer);
  if (!parsed.success) throw new ActFailed(words.unexpected, { isSafe: true });
  return parsed.output;
}

function wordsFor(status: number): string {
  if (status === UNAUTHORIZED || status === FORBIDDEN) return words.closed;
  return status === TOO_MANY ? words.tooMany : words.unexpected;
}

/** Leads to the page as it is now, which tells what the press came to. It never resolves: this page ends. */
export function showAsItIs(): Promise<never> {
  location.assign(PLACE_PATH);
  return new Promise(() => {});
}
