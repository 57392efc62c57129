window.BENCHMARK_DATA = {
  "lastUpdate": 1767322000000,
  "repoUrl": "https://example.com/r",
  "entries": {
    "Rust": [
      {
        "commit": {
          "id": "0000000000000000000000000000000000000000",
          "message": "m",
          "timestamp": "2026-01-02T03:04:05Z",
          "url": "u",
          "author": {
            "name": "a"
          }
        },
        "date": 1767322000000,
        "tool": "cargo",
        "benches": [
          {
            "name": "fib",
            "value": 95,
            "unit": "ns/iter",
            "range": "\u00b1 2",
            "extra": "100 times"
          }
        ]
      },
      {
        "commit": {
          "id": "0000000000000000000000000000000000000000",
          "message": "m",
          "timestamp": "2026-01-02T03:04:05Z",
          "url": "u",
          "author": {
            "name": "a"
          }
        },
        "date": 1767322000000,
        "tool": "cargo",
        "benches": [
          {
            "name": "fib",
            "value": 100,
            "unit": "ns/iter",
            "range": "\u00b1 2",
            "extra": "100 times"
          }
        ]
      }
    ],
    "Python": [
      {
        "commit": {
          "id": "0000000000000000000000000000000000000000",
          "message": "m",
          "timestamp": "2026-01-02T03:04:05Z",
          "url": "u",
          "author": {
            "name": "a"
          }
        },
        "date": 1767322000000,
        "tool": "pytest",
        "benches": [
          {
            "name": "test_fib",
            "value": 2000.0,
            "unit": "iter/sec",
            "range": "\u00b1 2",
            "extra": "100 times"
          }
        ]
      }
    ],
    "Score": [
      {
        "commit": {
          "id": "0000000000000000000000000000000000000000",
          "message": "m",
          "timestamp": "2026-01-02T03:04:05Z",
          "url": "u",
          "author": {
            "name": "a"
          }
        },
        "date": 1767322000000,
        "tool": "customBiggerIsBetter",
        "benches": [
          {
            "name": "quality",
            "value": 0.9,
            "unit": "points",
            "range": "\u00b1 2",
            "extra": "100 times"
          }
        ]
      }
    ]
  }
}