/** The texts of a page shown in place of the requested one. */
export interface ErrorPageCopy {
  title: string;
  text: string;
}

/** There is nothing at the address. */
export const notFoundPage: ErrorPageCopy = {
  title: 'This door leads nowhere',
  text: 'The page you asked for is not here. It may have moved, or the link that brought you may have lost a letter on the way.',
};

/** Something failed that the visitor cannot fix. */
export const failurePage: ErrorPageCopy = {
  title: 'Something went wrong on our side',
  text: 'It is not your doing, and nothing was charged by it. Please try again in a few minutes. If it goes on, the retreat office will gladly help:',
};

/** The label of the link back to the landing page. */
export const homeLink = 'To the retreat';
