import * as v from 'valibot';
import { post, RequestFailedError } from '#client/registration/payment/http-client.ts';
import { ownPageScriptWords as words } from '#shared/content/own-page-script-words.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';

/** An act on her page that was not carried out; the message is the reason shown to her. */
export class ActFailed extends Error {
  /** Whether her money and card are known to be unchanged; if not, the message says what is uncertain. */
  readonly isSafe: boolean;
  /** The error of the identity proof (postal code or phone digits), if that was refused. */
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
    /** The only field that the site itself validates. */
    fields: v.optional(v.object({ proof: v.optional(v.string()) })),
  }),
});

/**
 * Posts an act. If the answer says that the page she saw is out of date, it navigates to the current page and
 * never resolves.
 * @throws {ActFailed} when the request fails, is refused, or gets an unexpected answer
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
    if (code === 'changed') await showCurrentPage();
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

/** Navigates to her page, which shows the current state and the act's result. Never resolves. */
export function showCurrentPage(): Promise<never> {
  location.assign(OWN_PAGE_PATH);
  return new Promise(() => {});
}
