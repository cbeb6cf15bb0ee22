"""A line of a spec is read in any layout that people use, with its own instance, level and logger.

Covers: statemachines.conform.observe.catalogue_reader, statemachines.conform.observe.observer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.conform.checking import make_plan
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.observe.observer import Observer
from statemachines.logs import Scanner, scan
from statemachines.notation import load_spec

SPEC = """
notation: 1
machine: Door
states: {OPEN: {initial: true}, SHUT: }
transitions:
  - {from: OPEN, to: SHUT}
  - {from: SHUT, to: OPEN}
log:
  instance: [door]
  patterns: {door: '[^\\]]+'}
  lines:
    - text: "door [{door}] went from {from} to {to}"
      says: step
      logger: org.example.door.MainDoor
      level: INFO
      samples: [{line: "door [front] went from OPEN to SHUT", yields: {door: front, from: OPEN, to: SHUT}}]
"""
SAID = "door [front] went from OPEN to SHUT"
LAYOUTS = {
    "log4j 1": "2026-01-02 12:00:00,000 INFO  [main] org.example.door.MainDoor - MSG",
    "log4j 1, brackets": "[2026-01-02 12:00:00,000] INFO MSG (org.example.door.MainDoor)",
    "log4j 1, line": "[2026-01-02 12:00:00,000] INFO MSG (org.example.door.MainDoor:12)",
    "log4j 1, thread before the message": "[2026-01-02 12:00:00,000] INFO [main] MSG (org.example.door.MainDoor)",
    "log4j 1, file": "2026-01-02 12:00:00,000 INFO  [main] door.MainDoor (MainDoor.java:12) - MSG",
    "log4j 1, TTCC": "412 [main] INFO org.example.door.MainDoor  - MSG",
    "log4j 2": "12:00:00.000 [main] INFO  org.example.door.MainDoor - MSG",
    "log4j 2, location": "2026-01-02T12:00:00,000 [main] INFO org.example.door.MainDoor:12 - MSG",
    "log4j 2, context": "2026-01-02 12:00:00.000 [main] INFO  org.example.door.MainDoor [traceId=a,spanId=b] - MSG",
    "log4j 2, contexts": "2026-01-02 12:00:00.000 INFO [front|worker-0] [req=1] MSG (org.example.door.MainDoor)",
    "logback": "12:00:00.000 [main] INFO org.example.door.MainDoor -- MSG",
    "logback, en dash": "12:00:00.000 [main] INFO org.example.door.MainDoor \u2013 MSG",
    "java.util.logging": "Jan 02, 2026 12:00:00 PM org.example.door.MainDoor shut\nINFO: MSG",
    "java.util.logging, an hour of one digit": "Jan 2, 2026 1:02:03 PM org.example.door.MainDoor <init>\nINFO: MSG",
    "spring boot 2": "2026-01-02 12:00:00.000  INFO 1 --- [           main] o.e.door.MainDoor                            : MSG",
    "spring boot 3": "2026-01-02T12:00:00.000Z  INFO 1 --- [app] [           main] o.e.door.MainDoor                  : MSG",
    "quarkus": "2026-01-02 12:00:00,000 INFO  [org.exa.doo.MainDoor] (main) MSG",
    "micronaut": "\x1b[36m12:00:00.000\x1b[0;39m \x1b[1;30m[main]\x1b[0;39m \x1b[34mINFO \x1b[0;39m \x1b[35mo.e.d.MainDoor\x1b[0;39m - MSG",
    "helidon": "2026.01.02 12:00:00.000 INFO org.example.door.MainDoor Thread[#1,main,5,main]: MSG",
    "dropwizard": "INFO  [2026-01-02 12:00:00,000] org.example.door.MainDoor: MSG",
    "akka": "[INFO] [01/02/2026 12:00:00.000] [main] [org.example.door.MainDoor] MSG",
    "akka, slf4j": "[2026-01-02 12:00:00,000] [INFO] [org.example.door.MainDoor] [system-dispatcher-5] [] - MSG",
    "flink": "2026-01-02 12:00:00,000 INFO  org.example.door.MainDoor                        [] - MSG",
    "spark": "26/01/02 12:00:00 INFO MainDoor: MSG",
    "hadoop": "2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "websphere": "[1/2/26 12:00:00:000 UTC] 0000004a MainDoor          I MSG",
    "liberty": "[1/2/26, 12:00:00:000 UTC] 0000004a org.example.door.MainDoor  I MSG",
    "pipes": "2026-01-02 12:00:00.000 | INFO | main | org.example.door.MainDoor | MSG",
    "semicolons": "2026-01-02 12:00:00.000;INFO;main;org.example.door.MainDoor;MSG",
    "tabs": "2026-01-02 12:00:00.000\tINFO\tmain\torg.example.door.MainDoor\tMSG",
    "commas": "2026-01-02T12:00:00Z,host-1,INFO,org.example.door.MainDoor,MSG",
    "csv": '"2026-01-02 12:00:00,000","host","INFO","org.example.door.MainDoor","MSG"',
    "kibana": '"Jan 2, 2026 @ 12:00:00.000","MSG","host-1"',
    "logfmt": 'ts=2026-01-02T12:00:00.000Z level=info logger=org.example.door.MainDoor msg="MSG"',
    "zap": '{"level":"info","ts":1767355200.0,"logger":"org.example.door.MainDoor","msg":"MSG"}',
    "gelf": '{"version":"1.1","host":"h","short_message":"MSG","timestamp":1767355200.0,"level":6,"_logger":"org.example.door.MainDoor"}',
    "logstash": '{"@timestamp":"2026-01-02T12:00:00.000Z","@version":"1","message":"MSG","logger_name":"org.example.door.MainDoor","level":"INFO"}',
    "ecs": '{"@timestamp":"2026-01-02T12:00:00.000Z","ecs.version":"1.2.0","log.level":"INFO","message":"MSG","log.logger":"org.example.door.MainDoor"}',
    "docker": '{"log":"2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG\\n","stream":"stdout","time":"2026-01-02T12:00:00.0Z"}',
    "compose": "app-1  | 2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "kubectl": "[pod/door-7d9f6c5b8d-x1k2p/app] 2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "stern": "door-7d9f6c5b8d-x4k2p app 2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "syslog 3164": "<134>Jan  2 12:00:00 h1 door[1]: 2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "syslog 5424": "<14>1 2026-01-02T12:00:00.000Z host app 1 - - INFO org.example.door.MainDoor - MSG",
    "syslog 5424, counted": "79 <14>1 2026-01-02T12:00:00.000Z host app 1 - - INFO org.example.door.MainDoor - MSG",
    "weblogic": "####<Jan 2, 2026 12:00:00 PM UTC> <Info> <org.example.door.MainDoor> <h> <Admin> <main> <<WLS Kernel>> <> <> <1> <BEA-1> <MSG>",
    "fluentd": '2026-01-02 12:00:00.000000000 +0000 door.app: {"message":"MSG","logger":"org.example.door.MainDoor"}',
    "log4j 1, diagnostic context": "412 [main] INFO org.example.door.MainDoor user-7 - MSG",
    "winston": "2026-01-02T12:00:00.000Z [door] info: MSG",
    "klog, quoted": 'I0102 12:00:00.000000       1 keeper.go:12] "MSG" pod="a/b"',
    "otel collector": '2026-01-02T12:00:00.000Z\tinfo\tdoor/keeper.go:12\tMSG\t{"kind": {"a": 1}}',
    "airflow": "[2026-01-02T12:00:00.000+0000] {keeper.py:12} INFO - MSG",
    "nlog, with a url": "2026-01-02 12:00:00.0000|0|INFO|org.example.door.MainDoor|MSG|url: http://x",
    "zerolog, console": "12:00PM INF MSG logger=org.example.door.MainDoor",
    "no time": "N/A INFO org.example.door.MainDoor - MSG",
    "journal": "Jan 02 12:00:00 h1 door[1]: [2026-01-02 12:00:00,000] INFO MSG (org.example.door.MainDoor)",
    "journal, full": "Fri 2026-01-02 12:00:00 UTC h1 door[1]: INFO org.example.door.MainDoor - MSG",
    "github actions": "2026-01-02T12:00:00.1234567Z INFO org.example.door.MainDoor - MSG",
    "grep": "logs/app.log.1:17:2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "cat -n": "     17\t2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "a quote": "> 2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "a comment": "// 2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG",
    "a list": " * [2026-01-02 12:00:00,000] INFO MSG (org.example.door.MainDoor)",
    "a tag": "[JVM-4] [2026-01-02 12:00:00,000] INFO MSG (org.example.door.MainDoor)",
    "a tag and no layout": "[JVM-4] MSG",
    "no-break spaces": "2026-01-02\u00a012:00:00,000\u00a0INFO\u00a0org.example.door.MainDoor:\u00a0MSG".replace(
        "MSG", SAID.replace(" ", "\u00a0")
    ),
    "narrow no-break spaces": "2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: "
    + SAID.replace(" ", "\u202f"),
    "java.util.logging, one line": "2026-01-02 12:00:00 INFO org.example.door.MainDoor shut MSG",
    "java.util.logging, two lines in French": "janv. 02, 2026 12:00:00 PM org.example.door.MainDoor shut\nINFO: MSG",
    "loguru": "2026-01-02 12:00:00.000 | INFO     | org.example.door.MainDoor:shut:42 - MSG",
    "zap, console": "2026-01-02T12:00:00.000Z\tINFO\torg.example.door.MainDoor\tdoor/main.go:12\tMSG",
    "glog": "I0102 12:00:00.123456    1234 door.go:77] MSG",
    "ruby": "I, [2026-01-02T12:00:00.123456 #1234]  INFO -- MainDoor: MSG",
    "monolog": "[2026-01-02T12:00:00.123456+00:00] org.example.door.MainDoor.INFO: MSG [] []",
    "nginx": "2026/01/02 12:00:00 [notice] 12#12: MSG",
    "an erlang process": "2026-01-02 12:00:00.123456+00:00 [info] <0.222.0> MSG",
    "a picture": "2026-01-02 12:00:00.000 \u2139\ufe0f INFO org.example.door.MainDoor - MSG",
    "dotnet": "info: org.example.door.MainDoor[0]\n      MSG",
    "glassfish": "[2026-01-02T12:00:00.000+0000] [Payara 5.2] [INFO] [] [org.example.door.MainDoor] [tid: _ThreadID=1 _ThreadName=main] [timeMillis: 1767355200000] [levelValue: 800] [[\n  MSG]]",
    "serilog, json": '{"@t":"2026-01-02T12:00:00.0Z","@m":"MSG","SourceContext":"org.example.door.MainDoor"}',
    "opentelemetry": '{"Timestamp":"1767355200000000000","SeverityText":"INFO","Body":"MSG","InstrumentationScope":{"name":"org.example.door.MainDoor"}}',
    "structlog": '{"event":"MSG","logger":"org.example.door.MainDoor","level":"info","timestamp":"2026-01-02T12:00:00.0Z"}',
    "journal, monotonic": "[ 1209.123456] h1 door[12]: INFO org.example.door.MainDoor - MSG",
    "loki": '2026-01-02T12:00:00Z {app="door", pod="door-0"} INFO org.example.door.MainDoor - MSG',
    "heroku": "2026-01-02T12:00:00.123456+00:00 app[web.1]: MSG",
    "fluent bit": '[0] kube.door: [[1767355200.123, {}], {"log"=>"INFO org.example.door.MainDoor - MSG"}]',
    "windows": "2026-01-02 12:00:00,000 INFO org.example.door.MainDoor: MSG\r",
    "a logger of one word, colon": "2026-01-02 12:00:00,000 INFO MainDoor: MSG",
    "a logger of one word, first": "2026-01-02 12:00:00,000 MainDoor INFO MSG",
    "a logger of one word, behind the level in brackets": "2026-01-02 12:00:00,000 [INFO] MainDoor: MSG",
    "a logger of one word, behind a thread": "2026-01-02 12:00:00,000 (http-1) INFO MainDoor: MSG",
    "a logger of one word, behind a process": "2026-01-02 12:00:00,000 12345 INFO MainDoor MSG",
    "a logger of one word, behind a context": "2026-01-02 12:00:00,000 [req=12, user=bob] INFO MainDoor: MSG",
    "a logger of one word, and its method": "2026-01-02 12:00:00,000 INFO MainDoor#swing:123 - MSG",
    "a message by its key": '2026-01-02 12:00:00,000 INFO MainDoor msg="MSG" n=3',
    "brackets in brackets": "2026-01-02 12:00:00,000 [[a][b]] INFO org.example.door.MainDoor - MSG",
    "a virtual thread": "2026-01-02 12:00:00,000 [VirtualThread[#21]/runnable@ForkJoinPool-1-worker-1] INFO org.example.door.MainDoor - MSG",
    "redis": "1234:M 02 Jan 2026 12:00:00.000 * MSG",
    "mongodb, text": "2026-01-02T12:00:00.000+0000 I CONTROL  [initandlisten] MSG",
    "clickhouse": "2026.01.02 12:00:00.000567 [ 123 ] {} <Information> MainDoor: MSG",
    "tracing, a span of a module": "2026-01-02T12:00:00.000567Z  INFO org::door{id=1}: MSG",
    "logcat, brief": "I/MainDoor( 1234): MSG",
    "apple": "2026-01-02 12:00:00.000567+0000 House[123:456] [door] MSG",
    "apple, log show": "2026-01-02 12:00:00.000567+0000 0x1a2b     Info        0x0                  123    0    house: (lib) [org.door:x] MSG",
    "unreal": "[2026.01.02-12.00.00:000][  0]LogDoor: Display: MSG",
    "dmesg": "[   12.345678] MSG",
    "tai64n": "@400000006a11c8c11c03a0a8 MSG",
    "erlang": "=INFO REPORT==== 2-Jan-2026::12:00:00.000567 ===\nMSG",
    "a date in words": "2. January 2026 12:00:00 INFO MSG",
    "a date in Chinese": "2026年1月2日 12:00:00 INFO MSG",
    "a date without zeros": "2026/1/2 9:05:03 INFO MSG",
    "postgresql, csv": '2026-01-02 12:00:00.000 UTC,"u","d",1,"h",2,3,"x",2026-01-02 12:00:00 UTC,1/2,0,LOG,00000,"MSG",,,,,,,,,"app"',
    "ros": "[INFO] [1795275802.134567]: MSG",
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> CatalogueReader:
    """Reads doors."""
    file = tmp_path_factory.mktemp("specs") / "Door.yaml"
    file.write_text(SPEC)
    return CatalogueReader(make_plan([load_spec(file)]))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_line_is_read_in_any_layout(name: str, reader: CatalogueReader) -> None:
    """No stranger should have to write a layout file for what others use as well."""
    raw = (LAYOUTS[name].replace("MSG", SAID) + "\n").encode()
    *_, record = scan(raw, 0, len(raw), Scanner(reader.scan_literals))
    record, readings = reader.read_with_headers(record)
    assert [reading.matches[0][1].fields for reading in readings] == [
        {"door": "front", "from": "OPEN", "to": "SHUT"}
    ]
    assert record.level in ("INFO", None)
    assert record.logger is None or record.logger.endswith("MainDoor")


@pytest.mark.parametrize(
    ("text", "is_hidden"),
    [
        ("he said that MSG", True),
        ("@@7@@ MSG", True),
        ("2026-01-02 12:00:00,000 INFO - he said that MSG", True),
        ("2026-01-02 12:00:00,000 INFO a.b.C would not MSG", True),
        ("@@7 x@@ [2026-01-02 12:00:00,000] INFO MSG (org.example.door.MainDoor)", True),
        ("2026-01-02 12:00:00,000 INFO a.B - Lost: MSG", False),
        ("2026-01-02 12:00:00,000 INFO a.B - [MSG", False),
    ],
)
def test_what_is_quoted_is_not_read(text: str, is_hidden: bool, reader: CatalogueReader) -> None:
    """A line about a line is no step; that it is left out is in the report, unless its logger says that it is no line of the spec."""
    raw = (text.replace("MSG", SAID) + "\n").encode()
    (record,) = scan(raw, 0, len(raw), Scanner(reader.scan_literals))
    assert reader.read_with_headers(record)[1] == []
    assert reader.has_hidden_message(record) == is_hidden


@pytest.mark.parametrize(
    ("below", "count"),
    [
        ("  MSG", 1),
        ("MSG\nMSG", 2),
        ("door=1 [main] org.example.door.MainDoor - MSG", 1),
        ("\tat org.example.door.MainDoor.open(MainDoor.java:1)", 0),
        ("he said that MSG", 0),
        ("Caused by: a.E: MSG", 0),
    ],
)
def test_what_a_template_would_read_below_a_record_is_counted(
    below: str, count: int, reader: CatalogueReader
) -> None:
    """It is part of that record's message, and no step; but it must not be missing in silence."""
    head = "2026-01-02 12:00:00,000 INFO  [main] a.B - the day:\n"
    raw = (head + below.replace("MSG", SAID) + "\n").encode()
    observer = Observer(reader.plan, reader, 0)
    part = scan(raw, 0, len(raw), Scanner(reader.scan_literals), loggers=reader.loggers)
    assert list(observer.observe(part)) == []
    assert [row[1] for row in observer.profile.unjudged] == [count] * (count > 0)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("Error [front] went from OPEN to SHUT", "2026-01-02 12:00:00,000 MSG"),
        ("config: [front] went from OPEN to SHUT", "[2026-01-02 12:00:00,000] MSG"),
        ("alert [front] went from OPEN to SHUT", "2026-01-02T12:00:00Z MSG"),
        ("[front] went from OPEN to SHUT (door)", "[2026-01-02 12:00:00,000] INFO MSG"),
        ("[front] went from OPEN to SHUT (a.Door)", "2026-01-02 12:00:00,000 INFO MSG"),
        ("fine [front] went from OPEN to SHUT (it)", "[2026-01-02 12:00:00,000] MSG"),
    ],
)
def test_words_that_a_layout_takes_for_its_own_are_given_back(
    message: str, line: str, tmp_path: Path
) -> None:
    """A message may begin with what is a level elsewhere, and end with what looks like a logger: it is read all the same."""
    file = tmp_path / "Door.yaml"
    lead, _, tail = message.partition("[front] went from OPEN to SHUT")
    text = SPEC.replace(
        "door [{door}] went from {from} to {to}",
        f"{lead}[{{door}}] went from {{from}} to {{to}}{tail}",
    )
    file.write_text(text.replace("door [front] went from OPEN to SHUT", message))
    reader = CatalogueReader(make_plan([load_spec(file)]))
    raw = (line.replace("MSG", message) + "\n").encode()
    (record,) = scan(raw, 0, len(raw), Scanner(reader.scan_literals))
    record, readings = reader.read_with_headers(record)
    assert len(readings) == 1
    assert record.message == message
