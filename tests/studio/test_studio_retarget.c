/* test_studio_retarget.c - one body's motion on another through the studio's addresses: what is sent is
   what the program makes, and maps of joints are shown, judged, kept and forgotten. */
#include "made_bench.h"

#define LEG(side, name)                                                                            \
    "{'role': '" side "_hip', 'from': '" name "UpLeg', 'to': '" name "UpLeg'},"                    \
    "{'role': '" side "_knee', 'from': '" name "Leg', 'to': '" name "Leg'},"                       \
    "{'role': '" side "_ankle', 'from': '" name "Foot', 'to': '" name "Foot'}"
#define LEGS                                                                                       \
    "{'pairs': [{'role': 'hips', 'from': 'Hips', 'to': 'Hips'}," LEG("left", "Left") "," LEG(      \
        "right", "Right") "]}"

TEST_BENCH(what_is_sent_is_what_the_program_makes)
{
    OWNED(made_read) sent = read_made(b, do_retarget, "{'clips': [$walk], 'onto': $run}");
    const json_t *said =
        program_json("marey retarget -L lib.marey walk --onto run -o a.bvh --json");
    same_values(sent.said, said,
                "frames same_body leg_ratio slide_cm penetration_cm reach_percent");
    expect(sent.said, "{'frames': 60, 'same_body': true, 'map_from': 'found'}");
    expect(ask(b, do_retarget, "{'clips': [$walk], 'onto': $run, 'name': 'put'}"),
           "{'name': 'put', 'frames': 60}");
    assert_true(bench_id(b, "put") > 0);
}

TEST_BENCH(maps_are_judged_kept_used_and_forgotten)
{
    expect(ask(b, do_map, "{'a': $walk, 'b': $run}"),
           "{'map_from': 'found', 'only_from': [], 'only_to': []}");
    /* One that is only looked at is no clip, whether frames are wanted or not. */
    const json_t *judged =
        ask(b, do_retarget,
            "{'map_of': [$walk, $run], 'map': {'pairs': [{'from': 'LeftLeg', 'to': 'RightLeg'}]}}");
    expect(item(judged, "pairs", 0), "{'conflict': 'sides'}");
    assert_true(same_json(ask(b, do_retarget, "?list=1 {'map_of': [$walk, $run]}"),
                          program_json("marey retarget -L lib.marey --map-of walk run --json")));
    expect(ask(b, do_map, "{'a': $walk, 'b': $run, 'set': " LEGS "}"), "{'map_from': 'library'}");
    assert_int_equal(size_of(ask(b, do_map, "{'a': $walk, 'b': $run}"), "pairs"), 7);
    OWNED(made_read) sent = read_made(b, do_retarget, "{'clips': [$walk], 'onto': $run}");
    expect(sent.said, "{'map_from': 'library'}");
    expect(ask(b, do_map, "{'a': $walk, 'b': $run, 'found': true}"), "{'map_from': 'found'}");
    expect(ask(b, do_map, "{'a': $walk, 'b': $run, 'forget': true}"), "{'map_from': 'found'}");
    expect(ask(b, do_map, "{'a': $walk, 'b': $run}"), "{'map_from': 'found'}");
}

TEST_BENCH(what_is_wrong_is_refused)
{
    static const api_refusal rows[] = {
        { "{'map_of': [$walk, $run], 'name': 'put'}", "this makes no clip to be saved" },
        { "{'map_of': [$walk]}", "map_of needs two clips and nothing else" },
        { "{'clips': [$walk]}", "onto CLIP is needed" },
        { "{'onto': $walk}", "name a clip, or say map_of" },
        { "{'clips': [$walk, $run], 'onto': $run}", "written into folders by the program" },
        { "{'clips': [$walk], 'onto': $run, 'keep': ['arms']}", "got arms" },
        { "{'clips': [$walk], 'onto': $run, 'map': 3}", "map must be a JSON object" },
    };
    REFUSED(b, 400, "request", do_retarget, rows);
    refused(b, 400, "input", "no joint is called Tail", do_retarget,
            "{'clips': [$walk], 'onto': $run, 'map': {'pairs': [{'from': 'Tail', 'to': 'Hips'}]}}");
    refused(b, 404, "input", "no map of joints is kept", do_map,
            "{'a': $walk, 'b': $run, 'forget': true}");
    b->of.can_write = false;
    refused(b, 409, "request", "can only be read", do_map,
            "{'a': $walk, 'b': $run, 'set': {'pairs': []}}");
}

TEST_GROUP_OF_CASES(test_studio_retarget, NULL, NULL)
