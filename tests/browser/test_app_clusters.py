"""The page of several clusters: the board in the shell, faults that make branches, each cluster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import shows, violations, write, written

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

PICTURES = Path(os.environ.get("KUEUELAB_PICTURES", Path(__file__).parents[2] / "test-results"))
#: A manager, and a worker with racks.
RACKS = """\
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: racks-of-a-worker}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: AdmissionCheck
    metadata: {name: multikueue}
    spec:
      controllerName: kueue.x-k8s.io/multikueue
      parameters: {apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: all}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: MultiKueueConfig
    metadata: {name: all}
    spec: {clusters: [w1]}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: MultiKueueCluster
    metadata: {name: w1}
    spec: {clusterSource: {kubeConfig: {location: w1, locationType: Secret}}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: team}
    spec:
      namespaceSelector: {}
      admissionChecksStrategy: {admissionChecks: [{name: multikueue}]}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 8}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: main, namespace: default}
    spec: {clusterQueue: team}
  clusters:
    workers:
      w1:
        manifests:
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: Topology
          metadata: {name: racks}
          spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: ResourceFlavor
          metadata: {name: default}
          spec: {nodeLabels: {pool: cpu}, topologyName: racks}
        - apiVersion: v1
          kind: Node
          metadata: {name: n1, labels: {pool: cpu, rack: rack-1, kubernetes.io/hostname: n1}}
          status:
            allocatable: {cpu: 4, pods: 10}
            conditions: [{type: Ready, status: "True"}]
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: ClusterQueue
          metadata: {name: team}
          spec:
            namespaceSelector: {}
            resourceGroups:
            - coveredResources: [cpu]
              flavors: [{name: default, resources: [{name: cpu, nominalQuota: 8}]}]
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: LocalQueue
          metadata: {name: main, namespace: default}
          spec: {clusterQueue: team}
  timeline:
  - {at: 0s, submit: {job: train, queue: main, requests: {cpu: 1}}}
"""


def open_at(app: Page, address: str) -> None:
    app.evaluate("to => { location.hash = to; }", address)
    app.reload()


def test_a_button_of_a_lane_makes_a_branch(app: Page) -> None:
    open_at(app, "#/clusters?open=lost-worker&step=80")
    shows(app, 80)
    lane = app.get_by_role("region", name="cluster w2")
    lane.get_by_role("button", name="disconnect").click()
    app.locator(".changed-by .changes li").first.wait_for()
    shows(app, 80)
    app.locator(".changed-by").get_by_role("link", name="Compare").click()
    app.locator(".changes li", has_text="default/train").wait_for()
    assert app.locator("pre.yaml").count() == 0
    # Queues have their figures by cluster; what is the same is shown on request.
    figures = app.locator(".figures")
    figures.locator("li", has_text="manager:dispatch").wait_for()
    assert figures.locator("tr.same").count() == 0
    app.screenshot(path=PICTURES / "app-clusters-compared.png")
    app.get_by_role("link", name="Show what is the same, too").click()
    figures.locator("tr.same").first.wait_for()
    app.locator(".changes li", has_text="default/filler").wait_for()


def test_why_a_workload_is_where_it_is_is_in_the_address(app: Page) -> None:
    open_at(app, "#/clusters?open=lost-worker&step=60&w=default/train")
    shows(app, 60)
    why = app.locator(".kl-clusters-why")
    why.get_by_text("nominated: w1, w2").wait_for()
    lane = app.get_by_role("region", name="cluster w2")
    lane.locator(".kl-lane-chip", has_text="filler").click()
    app.wait_for_function("() => /w=default.filler.*in=w2/.test(location.hash)")


def test_each_cluster_has_its_pages(app: Page) -> None:
    open_at(app, "#/overview?open=lost-worker")
    app.locator(".find", has_text="older copy").wait_for()
    app.locator(".find").get_by_role("link", name="Show the clusters").click()
    app.locator(".kl-view-multikueue[data-step]").wait_for()
    app.get_by_role("link", name="Overview of w1").click()
    app.locator(".kpis").wait_for()
    assert "cluster=w1" in app.evaluate("location.hash")
    app.locator("nav a", has_text="Workloads").click()
    app.locator(".tr .name", has_text="train").click()
    app.locator(".drawer .placement dt", has_text="w1").wait_for()
    assert "Finished" in app.locator(".drawer .who").inner_text()
    app.locator("header").get_by_label("Cluster").select_option("manager")
    app.locator(".tr .name", has_text="train").click()
    app.locator(".drawer .who", has_text="Admitted").wait_for()
    app.locator("nav a", has_text="Steps").click()
    app.locator(".kl-view-lab[data-step]").wait_for()


def test_a_lever_of_a_worker_becomes_a_checked_patch_of_that_cluster(app: Page) -> None:
    open_at(app, "#/levers?open=limit-not-local-first&w=default/remote")
    card = app.locator(".lever-card", has_text="In w1: raise the nominal quota")
    card.locator(".cost-part").first.wait_for()
    card.get_by_role("button", name="Try").click()
    patch = app.locator(".patch", has_text="Patch of cluster w1")
    patch.locator(".checked", has_text="it gives the objects of").wait_for()
    assert "kind: ClusterQueue" in patch.locator("pre.yaml").inner_text()
    assert app.locator(".patch").count() == 1
    assert "default/remote" in app.locator(".changes").inner_text()


def test_an_object_of_a_worker_is_changed_and_its_topology_is_shown(app: Page) -> None:
    open_at(app, "#/change?open=quota-far-above&cluster=w1")
    manifest = app.locator(".manifest .cm-content")
    manifest.wait_for()
    text = written(manifest)
    quota = next(line for line in text.splitlines() if "nominalQuota" in line)
    write(manifest, text.replace(quota, f"{quota.partition(':')[0]}: 100"))
    app.get_by_role("button", name="Run with the change").click()
    app.locator(".patch", has_text="Patch of cluster w1").locator(".checked").wait_for()
    assert app.locator("h1").inner_text() == "Compare"
    # A cluster without a topology has no such page; one that has one shows its domains.
    assert app.locator("nav a", has_text="Topology").count() == 0
    app.locator("nav a", has_text="Home").click()
    app.get_by_role("button", name="Paste YAML").click()
    app.locator("textarea").fill(RACKS)
    app.locator("form", has=app.locator("textarea")).get_by_role("button").click()
    app.locator(".kl-view-multikueue[data-step]").wait_for()
    app.get_by_role("link", name="Overview of w1").click()
    app.locator("nav a", has_text="Topology").click()
    app.locator(".domains .node", has_text="rack-1").first.wait_for()
    assert "cluster=w1" in app.evaluate("location.hash")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "size", [(2560, 1440), (1440, 900), (390, 844)], ids=["large", "wide", "narrow"]
)
def test_the_page_is_accessible(app: Page, size: tuple[int, int], theme: str) -> None:
    app.set_viewport_size({"width": size[0], "height": size[1]})
    app.evaluate("theme => { localStorage['kueuelab-theme'] = theme; }", theme)
    open_at(app, "#/clusters?open=lost-worker&step=150&w=default/train")
    shows(app, 150)
    app.locator(".members li").first.wait_for()
    PICTURES.mkdir(exist_ok=True)
    app.screenshot(path=PICTURES / f"app-clusters-{size[0]}-{theme}.png")
    assert violations(app) == []
    assert app.evaluate("document.documentElement.scrollWidth <= innerWidth")
