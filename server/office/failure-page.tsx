import type { SignedIn } from '#server/users/user.ts';
import { renderOfficeDocument } from './office-document.tsx';
import { officePaths } from './paths.ts';

interface Failure {
  status: number;
  /** A sentence for people, if there is one. */
  message?: string | undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'You are signed out',
  403: 'Not open to you',
  404: 'Page not found',
};

/** The error page for users. */
export function renderFailure({ status, message }: Failure, style: string, signedIn?: SignedIn): string {
  const title = TITLES[status] ?? 'This did not work';
  const words =
    message ?? 'Something unexpected happened. Please try again; if it happens again, tell support.';
  return renderOfficeDocument({
    title,
    style,
    ...(signedIn && { signedIn }),
    children: (
      <>
        <p>{words}</p>
        <p>
          {signedIn ? (
            <a href={officePaths.list}>To the registrations</a>
          ) : (
            <a href={officePaths.signIn}>To the sign-in</a>
          )}
        </p>
      </>
    ),
  });
}
