const PIXEL_COOKIES = ['_fbp', '_fbc'];

/** Deletes the pixel's cookies on this site. Which part of the host's name it set them for is not told. */
export function forgetPixelCookies(): void {
  const labels = location.hostname.split('.');
  const domains = labels.map((_label, index) => labels.slice(index).join('.'));
  for (const name of PIXEL_COOKIES) {
    for (const scope of ['', ...domains.map((domain) => `; domain=${domain}`)]) {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that this is built for
      document.cookie = `${name}=; max-age=0; path=/${scope}`;
    }
  }
}
