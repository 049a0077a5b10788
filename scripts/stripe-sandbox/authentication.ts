import { ApiError } from './api-error.ts';

/** The two keys of the sandbox's only account. */
export type ApiKeys = { secretKey: string; publishableKey: string };

/** Which key an Authorization header carries, as bearer token or as basic user name. Throws 401 for none or another. */
export function authenticate(header: string | undefined, keys: ApiKeys): 'secret' | 'publishable' {
  const key = readKey(header);
  if (key === '') {
    throw unauthorized(
      'You did not provide an API key: send it as the bearer token of the Authorization header.',
    );
  }
  if (key === keys.secretKey) return 'secret';
  if (key === keys.publishableKey) return 'publishable';
  throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}****${key.slice(-4)}`);
}

function readKey(header: string | undefined): string {
  const [scheme = '', credentials = ''] = (header ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return '';
  return Buffer.from(credentials, 'base64').toString('utf8').split(':')[0] ?? '';
}

function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: 'invalid_request_error', message });
}
