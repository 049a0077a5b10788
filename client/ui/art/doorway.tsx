function Room() {
  return (
    <>
      <ellipse className="art-halo" cx="262" cy="590" rx="258" ry="30" />
      <path
        className="art-wall"
        d="M52 588C6 470 26 330 48 226 72 96 180 8 302 14 434 20 494 128 498 266 502 376 512 500 466 588 340 600 180 600 52 588Z"
      />
      <path className="art-light" d="M164 518H376L452 600C380 612 150 612 62 598Z" />
    </>
  );
}

function Outside() {
  return (
    <g clipPath="url(#doorway-opening)">
      <path className="art-sky" d="M150 90H390V520H150Z" />
      <circle className="art-halo" cx="292" cy="312" r="132" />
      <circle className="art-glow" cx="292" cy="312" r="94" />
      <circle className="art-sun" cx="292" cy="312" r="58" />
      <path className="art-far" d="M150 372C190 340 236 346 280 362S360 372 390 344V520H150Z" />
      <path className="art-mid" d="M150 430C200 388 250 384 300 396S370 420 390 410V520H150Z" />
      <path
        className="art-path"
        d="M188 520C202 480 304 470 310 446 314 428 262 428 262 410 262 400 270 396 274 391L284 392C280 400 274 404 278 412 286 426 350 424 346 456 342 482 306 486 308 520Z"
      />
      <path className="art-near" d="M150 474C178 460 202 474 212 498L200 520H150Z" />
      <path className="art-near" d="M390 462C366 466 344 486 334 520H390Z" />
      <path
        className="art-moon"
        transform="translate(216 180) rotate(-18)"
        d="M0-18A18 18 0 0 1 0 18 11 18 0 0 0 0-18Z"
      />
      <g className="art-stroke-ink">
        <path d="M252 232c6-7 11-7 15 0 4-6 9-7 15-1" />
        <path d="M232 258c5-5 8-5 11 0 3-5 7-5 11-1" />
      </g>
    </g>
  );
}

function OpenDoor() {
  return (
    <>
      <path className="art-accent" d="M376 520V230C376 172 404 142 462 148V568Z" />
      <path className="art-stroke-light" d="M398 372V250C398 214 412 190 442 190V374Z" />
      <path className="art-stroke-light" d="M398 398V490L442 520V402Z" />
      <circle className="art-light" cx="386" cy="386" r="5" />
    </>
  );
}

function Table() {
  return (
    <>
      <ellipse className="art-glow" cx="84" cy="592" rx="76" ry="9" />
      <path
        className="art-deep"
        d="M74 470H92V590H74ZM30 590L40 470H50L44 590ZM122 590L116 470H126L136 590Z"
      />
      <path className="art-wood" d="M8 456H158C162 456 162 472 158 472H8C4 472 4 456 8 456Z" />
      <g className="art-stroke-accent">
        <path d="M70 392c-10-13 8-20 0-36" />
        <path d="M91 388c-12-15 10-24 0-46" />
      </g>
      <path className="art-accent" d="M36 406H126C126 438 108 456 81 456S36 438 36 406Z" />
      <path className="art-glow" d="M38 420C41 426 121 426 124 420L122 430C110 435 52 435 40 430Z" />
      <ellipse className="art-light" cx="81" cy="406" rx="45" ry="8" />
      <ellipse className="art-sun" cx="81" cy="407" rx="36" ry="5" />
    </>
  );
}

/** A room whose door stands open on the morning: the hero's picture. */
export function Doorway() {
  return (
    <svg viewBox="0 0 524 622" aria-hidden="true">
      <clipPath id="doorway-opening">
        <path d="M164 520V230A106 106 0 0 1 376 230V520Z" />
      </clipPath>
      <Room />
      <path
        className="art-deep"
        d="M150 520V230A120 120 0 0 1 390 230V520H376V230A106 106 0 0 0 164 230V520Z"
      />
      <Outside />
      <path className="art-wood" d="M150 515H384V523H150Z" />
      <OpenDoor />
      <Table />
    </svg>
  );
}
