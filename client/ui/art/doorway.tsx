function Outside() {
  return (
    <g clipPath="url(#doorway-opening)">
      <path className="art-sky" d="M150 90H390V520H150Z" />
      <circle className="art-halo" cx="286" cy="318" r="128" />
      <circle className="art-glow" cx="286" cy="318" r="92" />
      <circle className="art-sun" cx="286" cy="318" r="60" />
      <path className="art-far" d="M150 372C190 340 236 346 280 362S360 372 390 344V520H150Z" />
      <path className="art-mid" d="M150 430C200 388 250 384 300 396S370 420 390 410V520H150Z" />
      <path
        className="art-path"
        d="M196 520C206 480 304 470 310 446 314 428 262 428 262 410 262 400 270 396 274 391L284 392C280 400 274 404 278 412 286 426 350 424 346 456 342 482 300 486 300 520Z"
      />
      <path className="art-near" d="M150 476C176 462 200 474 214 496L206 520H150Z" />
      <path
        className="art-moon"
        transform="translate(222 176) rotate(-18)"
        d="M0-18A18 18 0 0 1 0 18 11 18 0 0 0 0-18Z"
      />
    </g>
  );
}

function Table() {
  return (
    <>
      <path
        className="art-deep"
        d="M74 470H92V588H74ZM30 588L40 470H50L44 588ZM122 588L116 470H126L136 588Z"
      />
      <path className="art-wood" d="M8 456H158C162 456 162 472 158 472H8C4 472 4 456 8 456Z" />
      <g className="art-stroke-accent">
        <path d="M70 396c-10-13 8-20 0-36" />
        <path d="M90 390c-12-15 10-24 0-46" />
      </g>
      <path className="art-accent" d="M36 408H126C126 438 108 456 81 456S36 438 36 408Z" />
      <ellipse className="art-light" cx="81" cy="408" rx="45" ry="8" />
    </>
  );
}

/** A room whose door stands open on the morning: the hero's picture. */
export function Doorway() {
  return (
    <svg viewBox="0 0 520 600" aria-hidden="true">
      <clipPath id="doorway-opening">
        <path d="M164 520V230A106 106 0 0 1 376 230V520Z" />
      </clipPath>
      <path
        className="art-wall"
        d="M40 590C-14 470 22 330 40 226 62 96 176 6 300 14 436 22 500 130 506 270 510 376 524 500 470 590Z"
      />
      <path className="art-light" d="M164 519H376L430 592H84Z" />
      <path
        className="art-deep"
        d="M150 520V230A120 120 0 0 1 390 230V520H376V230A106 106 0 0 0 164 230V520Z"
      />
      <Outside />
      <path className="art-accent" d="M376 520V230C376 172 404 142 462 148V566Z" />
      <path className="art-stroke-light" d="M398 490V250C398 214 412 190 442 190V522Z" />
      <circle className="art-light" cx="392" cy="372" r="5" />
      <Table />
    </svg>
  );
}
