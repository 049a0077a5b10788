/**
 * What can be wrong with a mail server: it does not listen; it accepts connections and never answers; it refuses for
 * now or for good; it goes away in the middle of a message, or after it took one and before it said so.
 */
export type SmtpTrouble =
  | 'smtp-refused'
  | 'smtp-hangs'
  | 'smtp-4xx'
  | 'smtp-5xx'
  | 'smtp-drops'
  | 'smtp-cuts';

/** What a server says that takes no mail. */
export interface Refusal {
  trouble: SmtpTrouble;
  error: Error;
}

/** What the server says in a trouble, if it says anything. */
export function refusalOf(trouble: SmtpTrouble | undefined): Refusal | undefined {
  if (trouble === 'smtp-4xx') return refusal(trouble, 451, '4.3.0 Try again later');
  if (trouble === 'smtp-5xx') return refusal(trouble, 550, '5.3.0 Not taken');
  return undefined;
}

function refusal(trouble: SmtpTrouble, responseCode: number, message: string): Refusal {
  return { trouble, error: Object.assign(new Error(message), { responseCode }) };
}
