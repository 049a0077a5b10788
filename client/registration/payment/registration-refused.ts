import type { ErrorResponse } from '#shared/registration.ts';

/** The endpoint said no, and made nothing: why, in its words for the visitor, and by field. */
export class RegistrationRefused extends Error {
  /** Stable word for programs. */
  readonly code: string;
  readonly fields: Record<string, string>;

  constructor({ code, message, fields = {} }: ErrorResponse['error']) {
    super(message);
    this.name = 'RegistrationRefused';
    this.code = code;
    this.fields = fields;
  }
}
